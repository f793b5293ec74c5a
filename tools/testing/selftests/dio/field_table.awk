# SPDX-License-Identifier: GPL-2.0
#
# field compare: one file's stock beside its patched kernel, or two files' figures side by side, those
# of stock with those of stock. Files are field_rows.awk's, or the lab's results.json.
#
# A difference that is no larger than the spread, the wider one of two files, is none. Where a
# figure was taken once nobody knows.

# Lines of any length and breaks: what matters is a name and its value, and where an object ends. A
# machine is an object in a row.
function parse(text, file,    token, name, depth, row)
{
	while (match(text, /"[^"\\]+": *("([^"\\]|\\.)*"|-?[0-9][-+.0-9e]*|null)|[{}]/)) {
		token = substr(text, RSTART, RLENGTH)
		text = substr(text, RSTART + RLENGTH)
		if (token == "{") {
			if (!depth++)
				split("", row)
		} else if (token == "}") {
			if (!--depth)
				keep(row, file)
		} else {
			name = token
			sub(/^"/, "", name)
			sub(/".*/, "", name)
			sub(/^"[^"]+": */, "", token)
			gsub(/^"|"$/, "", token)
			if (depth == 1)
				row[name] = token == "null" ? "" : token
		}
	}
}

function keep(row, file,    id)
{
	if (row["report"] == "machine" || ("before" in row) || row["metric"] == "")
		return
	# Two files may be of two bases.
	id = (files == 2 ? "" : row["base"]) SUBSEP row["report"] SUBSEP row["case"] SUBSEP row["metric"]
	if (!(id in unit)) {
		order[++rows] = id
		unit[id] = row["unit"]
	}
	has[file, id] = 1
	value[file, id, "stock"] = row["stock"]
	value[file, id, "patched"] = row["patched"]
	spread[file, id] = row["spread"]
}

function verdict(metric, a, b, noise,    percent, better)
{
	if (noise == "")
		return "taken once"
	if (b - a <= noise + 0 && a - b <= noise + 0)
		return "no difference"
	if (a == 0)
		return b > 0 ? "more" : "less"
	percent = sprintf("%.1f %% ", 100 * (b > a ? b - a : a - b) / a)
	if (metric ~ /^(mb_per_s|per_s|ios_per_s|gain)$/)
		better = b > a
	else if (metric ~ /^(latency_us|cpu_us_per_mib|bytes_read_per_used|time|seconds|insn.*)$/)
		better = b < a
	else
		return percent (b > a ? "more" : "less")
	return percent (better ? "better" : "worse")
}

function number(x)
{
	if (x == "")
		return "-"
	x += 0
	return sprintf(x >= 1000 ? "%.0f" : x >= 10 ? "%.2f" : "%.3f", x)
}

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

function judge(id, role, a, b, noise,    part, said)
{
	split(id, part, SUBSEP)
	said = a == "" || b == "" ? "on one only" : verdict(part[4], a + 0, b + 0, noise)
	show_row(part[2], part[3], part[4], unit[id], role, a, b,
		 said ~ /^no |^on / || !(a + 0) ? "" : b / a, noise, said)
}

# Which kernel's figures of two files stand side by side: the same one's, or what each has
function print_two(id,    a, b, role, noise, shown)
{
	if (!has[1, id] || !has[2, id])
		return
	noise = spread[1, id]
	if (noise == "" || (spread[2, id] != "" && spread[2, id] + 0 > noise + 0))
		noise = spread[2, id]
	for (role = "stock"; role != ""; role = role == "stock" ? "patched" : "") {
		a = value[1, id, role]
		b = value[2, id, role]
		if (a != "" && b != "") {
			judge(id, role, a, b, noise)
			shown = 1
		}
	}
	a = value[1, id, "stock"] value[1, id, "patched"]
	b = value[2, id, "stock"] value[2, id, "patched"]
	if (!shown && a != "" && b != "")
		judge(id, "each", a, b, noise)
}

BEGIN { files = ARGC - 1 }
FNR == 1 { file++ }
{ text[file] = text[file] " " $0 }

END {
	for (i = 1; i <= files; i++)
		parse(text[i], i)
	if (!rows) {
		print "field: no figures in " ARGV[1] (files == 2 ? " and " ARGV[2] : "") >"/dev/stderr"
		exit 1
	}
	head()
	for (i = 1; i <= rows; i++) {
		if (files == 2)
			print_two(order[i])
		else
			judge(order[i], "", value[1, order[i], "stock"],
			      value[1, order[i], "patched"], spread[1, order[i]])
	}
}
