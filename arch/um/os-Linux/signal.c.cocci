// SPDX-License-Identifier: GPL-2.0
// IPIs are blocked as they come: arch/um/os-Linux/smp.c.cocci.

@block@
@@
 __block_signals(void)
 {
 	...
-	os_local_ipi_disable();
 	...
 }
