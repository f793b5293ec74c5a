/* SPDX-License-Identifier: GPL-2.0 */
/* A vendor's vary-io, as a raw device sets it. */

static void raw_open(struct kiobuf *iobuf, int minor)
{
	iobuf->dovary = raw_devices[minor].vary;
}
