# SPDX-License-Identifier: GPL-2.0
#
# field compare: the table of field_table.awk as plain text.

function head(    i)
{
	for (i = 1; files == 2 && i <= files; i++)
		print (i == 1 ? "A: " : "B: ") ARGV[i]
	printf("%-9s %-27s %-19s %-6s %s%10s %10s %9s %8s  %s\n", "report", "case", "metric", "unit",
	       files == 2 ? sprintf("%-8s", "kernel") : "", files == 2 ? "A" : "stock",
	       files == 2 ? "B" : "patched", files == 2 ? "B/A" : "ratio", "spread", "difference")
}

function show_row(report, name, metric, unit, role, a, b, ratio, noise, said)
{
	printf("%-9s %-27s %-19s %-6s %s%10s %10s %9s %8s  %s\n", report, name, metric, unit,
	       role == "" ? "" : sprintf("%-8s", role), number(a), number(b),
	       ratio == "" ? "-" : sprintf("%.3f", ratio), number(noise), said)
}

function foot()
{
}
