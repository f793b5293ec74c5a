# SPDX-License-Identifier: GPL-2.0
#
# field compare --html: the table of field_table.awk as one page that needs no network and no script;
# light and dark, on paper and on a phone. Colours are those of the lab's report, and each has its
# word.

function safe(words)
{
	gsub(/&/, "\\&amp;", words)
	gsub(/</, "\\&lt;", words)
	gsub(/>/, "\\&gt;", words)
	gsub(/"/, "\\&quot;", words)
	return words
}

function style()
{
	print ":root { color-scheme: light dark; --paper: #fff; --card: #f6f7f8; --ink: #1b1f24;"
	print "\t--soft: #59626c; --rule: #c3c9cf; --first: #e69f00; --second: #0072b2;"
	print "\t--better: #009e73; --worse: #d55e00; --none: #c3c9cf; }"
	print "@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --card: #1d2125;"
	print "\t--ink: #e8eaed; --soft: #a3acb5; --rule: #4a525a; --second: #56b4e9;"
	print "\t--none: #6b747d; } }"
	print "body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 68rem; color: var(--ink);"
	print "\tbackground: var(--paper); font: 1rem/1.5 system-ui, sans-serif; }"
	print "h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .3rem; }"
	print "p { max-width: 46rem; margin: .4rem 0; } .soft { color: var(--soft); font-size: .875rem; }"
	print "table { border-collapse: collapse; width: 100%; font-size: .9rem; }"
	print "th, td { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top;"
	print "\tborder-bottom: 1px solid var(--rule); overflow-wrap: break-word; }"
	print "th { color: var(--soft); font-size: .825rem; }"
	print ".n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }"
	print ".word { padding: 0 .5em; border-radius: .3em; font-weight: 600; color: #111;"
	print "\tbackground: var(--none); white-space: nowrap; }"
	print ".better { background: var(--better); } .worse { background: var(--worse); }"
	print "i { display: block; height: .35rem; margin: 3px 0; background: var(--first); }"
	print "i + i { background: var(--second); } .bars { min-width: 7rem; }"
	print "@media (max-width: 44rem) { .wide { overflow-x: auto; } table { min-width: 40rem; } }"
	print "@media print { * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }"
	print "\ttr, h2 { break-inside: avoid; } h2 { break-after: avoid; } }"
}

function head(    i)
{
	first = files == 2 ? "A" : "stock"
	second = files == 2 ? "B" : "patched"
	print "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	print "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
	print "<title>The field reports on these disks</title><style>"
	style()
	print "</style></head><body>\n<h1>The field reports on these disks</h1>"
	for (i = 1; i <= files; i++)
		printf("<p>%s<code>%s</code></p>\n", files == 2 ? substr("AB", i, 1) ": " : "",
		       safe(ARGV[i]))
	print "<p class=\"soft\">A figure is the median of its rounds. Spread is how far the smallest"
	print "is from the largest; a difference no larger than that is none. The upper bar is " first ","
	print "the lower one " second ".</p>"
}

# What stands behind the sum of all rows
function put(html)
{
	body = body html "\n"
}

# A header wherever another report begins
function begin_report(report)
{
	if (report == shown_report)
		return
	end_table()
	shown_report = report
	put(sprintf("<h2>%s</h2>\n<div class=\"wide\"><table><thead><tr><th>case</th><th>metric</th>%s" \
	       "<th>difference</th><th class=\"n\">%s</th><th class=\"n\">%s</th><th></th>" \
	       "<th class=\"n\">%s</th><th class=\"n\">spread</th></tr></thead><tbody>", safe(report),
	       files == 2 ? "<th>kernel</th>" : "", first, second, files == 2 ? "B/A" : "ratio"))
}

function end_table()
{
	if (shown_report != "")
		put("</tbody></table></div>")
}

function bar(value, most)
{
	return sprintf("<i style=\"width:%.1f%%\"></i>", most > 0 ? 100 * value / most : 0)
}

# How much, and better, worse or what else as a word of its colour
function word(said,    how, which)
{
	how = which = said
	if (!sub(/ [a-z]+$/, "", how) || said !~ /%/)
		how = ""
	else
		sub(/.* /, "", which)
	tally[which]++
	return sprintf("%s<span class=\"word%s\">%s</span>", how == "" ? "" : how " ",
		       which ~ /^(better|worse)$/ ? " " which : "", which)
}

function show_row(report, name, metric, unit, role, a, b, ratio, noise, said,    most, cell)
{
	begin_report(report)
	most = a + 0 > b + 0 ? a : b
	cell = "<td class=\"n\">%s</td>"
	put(sprintf("<tr><td>%s</td><td>%s</td>%s<td>%s</td>" cell cell \
	       "<td class=\"bars\">%s%s</td>" cell cell "</tr>", safe(name),
	       safe(metric (unit == "" ? "" : ", " unit)),
	       files == 2 ? "<td>" safe(role) "</td>" : "", word(said), number(a), number(b),
	       bar(a, most), bar(b, most), ratio == "" ? "-" : sprintf("%.3f", ratio),
	       number(noise)))
}

function show_machines(    i, k)
{
	if (!machine_count)
		return
	printf("<h2>On what</h2>\n<div class=\"wide\"><table><thead><tr><th></th>")
	for (k = 1; k <= machine_count; k++)
		printf("<th>%s</th>", safe(machines[k]))
	print "</tr></thead><tbody>"
	for (i = 1; i <= key_count; i++) {
		printf("<tr><td>%s</td>", safe(keys[i]))
		for (k = 1; k <= machine_count; k++)
			printf("<td>%s</td>", safe(machine[machines[k], keys[i]]))
		print "</tr>"
	}
	print "</tbody></table></div>"
}

function foot(    counted)
{
	end_table()
	counted = sprintf("%d better, %d worse, %d with no difference", tally["better"],
			  tally["worse"], tally["no difference"])
	printf("<p><strong>%s%s.</strong></p>\n%s", counted,
	       tally["taken once"] ? ", " tally["taken once"] " taken once" : "", body)
	show_machines()
	print "</body></html>"
}
