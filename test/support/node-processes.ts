import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

const NODE_COMPONENTS = ['kubelet', 'containerd'] as const
export type NodeComponent = (typeof NODE_COMPONENTS)[number]

const readOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it ended meanwhile
  }
}
const pids = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name))
const nameOf = (pid: string) => readOf(`/proc/${pid}/comm`).trim()
const namespaceOf = (pid: string) => {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return ''
  }
}

/** The processes of a node of test/kubernetes, with their pids on this machine. */
export function nodeProcesses(state: string) {
  const [init = ''] = readFileSync(join(state, 'pids/init'), 'utf8').split(' ')
  const node = namespaceOf(init)
  if (node === '') throw new Error(`no node is up in ${state}`)

  return {
    /** The process of a part of the node itself. */
    component: (component: NodeComponent): number | undefined =>
      pids()
        .filter((pid) => nameOf(pid) === component && namespaceOf(pid) === node)
        .map(Number)[0],

    /** The first process of each container of a pod. */
    containers: (podUid: string): number[] =>
      pids()
        .filter((pid) => readOf(`/proc/${pid}/cgroup`).includes(`/pod${podUid}/`))
        .filter((pid) => /^NSpid:.*\s1$/m.test(readOf(`/proc/${pid}/status`)) && nameOf(pid) !== 'pause')
        .map(Number),
  }
}
