import { readlinkSync } from 'node:fs'

/**
 * The path of what a descriptor has open, wherever it is now. With a name behind it, it names an entry of exactly the
 * open folder: the same as openat, which Node lacks. Linux only.
 */
export const descriptorPath = (fd: number) => `/proc/self/fd/${fd}`

/**
 * Where the file or folder that a descriptor has open is now. The kernel answers from memory, without waiting for a
 * disk. Linux only.
 */
export const whereIsOpen = (fd: number) => readlinkSync(descriptorPath(fd))
