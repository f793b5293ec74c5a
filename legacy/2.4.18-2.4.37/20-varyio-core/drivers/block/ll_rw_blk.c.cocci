// SPDX-License-Identifier: GPL-2.0

@off_by_default@
symbol q;
@@

 q->plug_device_fn = generic_plug_device;
 q->head_active = 1;
+q->vary_io = 0;
