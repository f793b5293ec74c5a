// SPDX-License-Identifier: GPL-2.0
// IPIs are blocked as they come (arch/um/os-Linux/smp.c.cocci), but a CPU that goes to sleep must not
// miss one that comes before.

// places: 2
@sleep@
// comment: 	 * Block SIGALRM while performing the need_resched check. => 	 * Block SIGALRM and IPIs while performing the need_resched check:
// comment: 	 * Note that, because IRQs are disabled, the IPI signal is => 	 * that IRQs are disabled blocks an IPI only when it comes,
// comment: 	 * already blocked. => 	 * which would interrupt no sleep.
identifier set;
@@
 os_idle_sleep(void)
 {
 	...
 	sigaddset(&set, SIGALRM);
+	sigaddset(&set, IPI_SIGNAL);
 	...
 }
