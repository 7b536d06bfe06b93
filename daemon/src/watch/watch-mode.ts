import { statfs } from 'node:fs/promises'

/** How changes from outside are noticed: `auto` watches, and polls where watching does not work. */
export type WatchSetting = 'auto' | 'poll' | 'off'

/** `watch`: events trigger early sweeps. `poll`: frequent sweeps alone. `off`: only the listing at the start. */
export type WatchMode = 'watch' | 'poll' | 'off'

// File systems whose files other machines or programs can change without an event here.
const WITHOUT_EVENTS = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB2
  0x65735546, // FUSE: sshfs, rclone, folders shared with a virtual machine
  0x01021997, // 9p
  0x00c36400, // Ceph
  0x5346414f, // AFS
  0x786f4256, // VirtualBox
])

/** The mode for the volume of a folder. */
export async function watchMode(setting: WatchSetting, folder: string): Promise<WatchMode> {
  if (setting !== 'auto') return setting
  const { type } = await statfs(folder)
  return WITHOUT_EVENTS.has(type) ? 'poll' : 'watch'
}
