// Runs the program of `npm start` and the other commands, once the setup is complete.
import { spawn } from 'node:child_process'
import { projectEnvironment, projectNode, root } from './ensure.mjs'

const WATCH_MS = 500

/**
 * Runs a program of the project with its Node in the foreground and exits as it does. The program has an IPC channel to
 * this process. When the channel closes, the program knows that this process has ended, even if it was killed.
 */
export async function runInForeground(args, environment = {}) {
  const child = spawn(projectNode, args, {
    cwd: root,
    env: { ...projectEnvironment, ...environment },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // A terminal sends Ctrl-C and its own hang-up to the whole group. Any other sender signals only this process, so pass
  // that on.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  process.on('SIGHUP', () => child.kill('SIGTERM'))
  onceNpmIsGone(() => child.kill('SIGTERM'))
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`)
      resolve(1)
    })
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)))
  })
}

/**
 * Npm forwards signals, but not when it is killed: then stop too. A process that was not started by npm may outlive its
 * parent.
 */
function onceNpmIsGone(act) {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    act()
  }, WATCH_MS)
  watch.unref()
}
