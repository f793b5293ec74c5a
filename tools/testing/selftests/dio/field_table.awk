# SPDX-License-Identifier: GPL-2.0
#
# field compare: stock beside the patched kernel, a table for each file of field_rows.awk's, which has
# an object a line. A difference that is no larger than the spread is none. Where a figure was taken
# once nobody knows.

# The value of NAME on this line; nothing if it is null
function value(name,    text)
{
	if (!match($0, "\"" name "\": (\"[^\"]*\"|-?[0-9.]+)"))
		return ""
	text = substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
	gsub(/"/, "", text)
	return text
}

function verdict(metric, a, b, noise,    percent, better)
{
	if (a == "" || b == "")
		return "on one only"
	if (noise == "")
		return "taken once"
	a += 0
	b += 0
	if (b - a <= noise + 0 && a - b <= noise + 0)
		return "no difference"
	if (a == 0)
		return b > 0 ? "more" : "less"
	percent = sprintf("%.1f %% ", 100 * (b > a ? b - a : a - b) / a)
	if (metric == "io_kib")
		return percent (b > a ? "more" : "less")
	better = metric ~ /per_s$/ ? b > a : b < a
	return percent (better ? "better" : "worse")
}

function number(x)
{
	return x == "" ? "-" : sprintf(x + 0 >= 1000 ? "%.0f" : x + 0 >= 10 ? "%.2f" : "%.3f", x)
}

FNR == 1 {
	if (ARGC > 2)
		print FILENAME
	printf("%-9s %-27s %-19s %-6s %10s %10s %9s %8s  %s\n", "report", "case", "metric", "unit",
	       "stock", "patched", "ratio", "spread", "difference")
}

!/"report": "machine"/ && value("metric") != "" {
	rows++
	said = verdict(value("metric"), value("stock"), value("patched"), value("spread"))
	printf("%-9s %-27s %-19s %-6s %10s %10s %9s %8s  %s\n", value("report"), value("case"),
	       value("metric"), value("unit"), number(value("stock")), number(value("patched")),
	       number(value("ratio")), number(value("spread")), said)
}

END {
	if (!rows) {
		print "field: no figures in " ARGV[1] >"/dev/stderr"
		exit 1
	}
}
