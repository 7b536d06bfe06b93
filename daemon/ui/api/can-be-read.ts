/**
 * Whether the browser can read a file of this device. It cannot read a folder that was dropped, which it lists like a
 * file. A request with such a file fails as if the host did not answer, so call this before sending it.
 */
export function canBeRead(file: File): Promise<boolean> {
  // A folder may have the size 0, and a slice of nothing is always readable.
  const start = file.size === 0 ? file : file.slice(0, 1)
  return start.arrayBuffer().then(
    () => true,
    () => false,
  )
}

/** Why a file of this device was not sent. */
export const UNREADABLE = 'is a folder or cannot be read'
