// SPDX-License-Identifier: GPL-2.0
// IPIs are blocked as they come: arch/um/os-Linux/smp.c.cocci.

@prototype@
@@
-void os_local_ipi_disable(void);

@stub@
@@
-static inline void os_local_ipi_disable(void) { }
