import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import type { TestCluster } from './kubernetes.ts'

/** A kubeconfig that leads to the API server through a port of its own, at which the connections are counted. */
export async function countConnections({ server, kubeconfig }: Pick<TestCluster, 'server' | 'kubeconfig'>) {
  const { hostname, port } = new URL(server)
  let count = 0
  const counter = createServer((socket) => {
    count += 1
    const upstream = connect(Number(port), hostname)
    pipeline(socket, upstream, socket, () => {})
  })
  counter.listen(0, '127.0.0.1').unref()
  await once(counter, 'listening')
  const through = new URL(server)
  through.hostname = '127.0.0.1'
  through.port = String((counter.address() as AddressInfo).port)
  const file = `${kubeconfig}.${through.port}`
  await writeFile(file, (await readFile(kubeconfig, 'utf8')).replaceAll(server, through.origin))
  return { kubeconfig: file, opened: () => count }
}
