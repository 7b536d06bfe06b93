// Two starts of one fresh clone must not install or build into the same folders at once: the second waits for the
// first.
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'

const REFRESH_MS = 2_000
const STALE_MS = 30_000
const POLL_MS = 200

/** Runs some work while no other process does so with the same lock file. The lock of a dead process does not count. */
export async function oneAtATime(lock, work) {
  for (let told = false; !take(lock); told = true) {
    if (isStale(lock)) rmSync(lock, { force: true })
    else {
      if (!told) process.stderr.write('  Another start is installing or building in this clone; waiting for it …\n')
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
  const refresh = setInterval(() => utimesSync(lock, new Date(), new Date()), REFRESH_MS)
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release) // a failing step exits the process
  try {
    return await work()
  } finally {
    clearInterval(refresh)
    process.removeListener('exit', release)
    release()
  }
}

function take(lock) {
  try {
    const file = openSync(lock, 'wx')
    writeSync(file, String(process.pid))
    closeSync(file)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

function isStale(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > STALE_MS) return true
    const holder = Number(readFileSync(lock, 'utf8'))
    return holder > 0 && !isAlive(holder)
  } catch (error) {
    if (error.code === 'ENOENT') return false // released meanwhile
    throw error
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
