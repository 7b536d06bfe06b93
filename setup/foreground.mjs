// Runs what `npm start` and the other commands are about, once the setup is done.
import { spawn } from 'node:child_process'
import { projectEnvironment, projectNode, root } from './ensure.mjs'

const WATCH_MS = 500

/**
 * Runs a program of the project with its Node in the foreground and ends as it ends. The program has an IPC channel to
 * us, by whose end it learns of ours, also when we are killed.
 */
export async function runInForeground(args, environment = {}) {
  const child = spawn(projectNode, args, {
    cwd: root,
    env: { ...projectEnvironment, ...environment },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  // A terminal sends Ctrl-C and its own end to the whole group; anybody else signals us alone, so that is handed on.
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

/** Npm hands signals on, but not when it is killed. Whoever started us without npm may go. */
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
