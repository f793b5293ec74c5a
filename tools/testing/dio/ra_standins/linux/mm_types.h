/* SPDX-License-Identifier: GPL-2.0 */
#include "ra_kernel.h"
