# SPDX-License-Identifier: GPL-2.0
"""The figures of the field reports, which stand beside ours in results.json and in the table.

REPORTED[(report, case)] has numbers in the metrics' units. Cases of ours are named ARRAY-CASE or,
those of field-2, CASE-PLACE; array and place are left out here. Where a report has several kernels
the newest counts. The harness has cases of its own for some (tools/testing/dio/field).
"""

REPORTED = {("field-1", way): {"mb_per_s": speed, "latency_us": latency}
            for way, speed, latency in (("direct", 62.02, 15867), ("raw", 52.31, 18583),
                                        ("buffered", 127.71, 59), ("nocopy", 182.17, 41))}
# KB/s of 2.6.6 with the fix
for _test, _speed in {"sequential": 11700.98, "reread": 11691.84, "reverse": 20099.86,
                      "stride": 13850.28, "random": 19978.00, "mix": 29964.38,
                      "pread": 11697.29}.items():
    REPORTED["field-2", f"iozone-{_test}"] = {"mb_per_s": round(_speed / 1024, 2)}
REPORTED["field-2", "sysbench"] = {"seconds": 79.8176}
# MB/s on one disk and on RAID0: buffered, direct
for _place, _buffered, _direct in (
        ("disk-ext2", 62.916, 64.594), ("disk-ext3", 56.917, 61.705), ("disk-xfs", 64.590, 58.830),
        ("disk-jfs", 63.465, 69.761), ("raid0-ext2", 235.460, 345.120), ("raid0-xfs", 345, 180)):
    REPORTED["field-3", f"{_place}-buffered"] = {"mb_per_s": _buffered}
    REPORTED["field-3", f"{_place}-direct"] = {"mb_per_s": _direct}
    REPORTED["field-3", _place] = {"gain": round(_direct / _buffered, 3)}
for _size in ("4k", "8k"):
    REPORTED["field-4", f"oltp-{_size}"] = {"per_s": 240000}
# With the boundary fix: MiB/s and I/Os a second of a file extend; filling a hole gave the same.
# Their ext3 went through fs/direct-io.c, which today's ext2 does.
for _fs, _speed, _ios in (("ext2", 715, 16000), ("ext3", 715, 16000), ("xfs", 2.26 * 1024, 18000)):
    for _how in ("create", "fill"):
        REPORTED["field-5", f"{_fs}-{_how}"] = {
            "mb_per_s": _speed, "ios_per_s": _ios, "io_kib": round(_speed * 1024 / _ios, 1)}
REPORTED["field-5", "ext2-4k-512m-create"] = REPORTED["field-5", "ext2-create"]


def reported(report, case, metric):
    """The report's own figure for a case of ours, or None."""
    for name in (case, case.partition("-")[2], case.rpartition("-")[0]):
        if (report, name) in REPORTED:
            return REPORTED[report, name].get(metric)
    return None
