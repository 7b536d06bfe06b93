import { open } from 'node:fs/promises'
import { systemClock } from '@svc/shared/kit/clock.ts'
import { WRITTEN_WITHIN_MS } from '../../daemon/src/watch/emptied-notes.ts'

type SlowWrite = { file: string; text: string; whileEmpty(): Promise<void> }

/**
 * Empties a file and writes it a while later, as a slow program does. Returns false if this process stood still so long
 * in between that the daemon may rightly have taken the file for empty.
 */
export async function writeSlowly({ file, text, whileEmpty }: SlowWrite): Promise<boolean> {
  const began = systemClock.monotonic()
  const slow = await open(file, 'w')
  try {
    await whileEmpty()
    await slow.writeFile(text)
  } finally {
    await slow.close()
  }
  return systemClock.monotonic() - began < WRITTEN_WITHIN_MS
}
