// Whether this machine can have a Kubernetes node, and who uses it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The exit code of a program that needs a node which this machine cannot have (EX_UNAVAILABLE). */
export const NO_NODE = 69

/** True as root on Debian, where a node can be brought up. */
export const mayHaveNode = () => process.getuid?.() === 0 && spawnSync('dpkg-query', ['--version']).status === 0

/**
 * Claims the node with this state folder until the process ends; returns why it cannot be had, if another run uses it.
 * Two runs would take the node away from each other. The file of a process that has ended does not count.
 */
export function claimNode(state) {
  const file = `${state}.pid`
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  if (pid > 0 && existsSync(`/proc/${pid}`))
    return `Process ${pid} uses the node already (${file}). Try again when it has ended.`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, String(process.pid))
  process.once('exit', () => rmSync(file, { force: true }))
  return undefined
}
