import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, stat, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { findDownloads } from '../../control-plane/src/downloads/find-downloads.ts'
import { daemonCommands } from '../../control-plane/web/daemons/daemon-commands.ts'
import { verifies } from '../requirements.ts'
import type { ChartObject } from '../support/helm.ts'
import { startCluster, type TestCluster } from '../support/kubernetes.ts'
import { removeFolder } from '../support/remove-folder.ts'

const KEY = `svc_dmn_${'k'.repeat(43)}`
const DIGEST = `sha256:${'a'.repeat(64)}`
const relayUrl = 'https://svc.example.net/t/org_aaaaaaaaaaaaaaaaaaaaaaaa'
const folder = join(import.meta.dirname, '../../control-plane/dist/download')

let home: string
let cluster: TestCluster
let chartUrl: string
// Serves the chart that the control plane would serve.
const server = createServer((request, reply) => createReadStream(join(folder, request.url ?? '')).pipe(reply))

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-shown-'))
  cluster = await startCluster({ controllers: false })
  await mkdir(join(home, 'bin'))
  await symlink(inject('helm'), join(home, 'bin/helm'))
  await symlink(join(cluster.programs, 'kubectl'), join(home, 'bin/kubectl'))
  const downloads = await findDownloads(folder)
  if (downloads === undefined) throw new Error('There is no packed chart: run `npm run build` first.')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  chartUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${downloads.chart.file}`
})
afterAll(async () => {
  server.close()
  await cluster?.stop()
  await removeFolder(home)
})

/** Runs a command in a shell as shown, with Helm and kubectl of a person whose cluster this is. */
async function run(text: string, stdin = ''): Promise<string> {
  const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}`, KUBECONFIG: cluster.kubeconfig }
  const child = promisify(execFile)('/bin/sh', ['-euc', text], { env })
  child.child.stdin?.end(stdin)
  return (await child).stdout
}

test('the commands for Kubernetes keep the key in a file and install a daemon that uses it, on a real API server', async () => {
  verifies('web.commands-run')
  const chart = { url: chartUrl, file: '', version: '', sha256: '', bytes: 0 }
  const image = `registry.example/svc/svcd:1.2.3@${DIGEST}`
  const ways = daemonCommands({ relayUrl, downloads: { daemon: null, chart, image } })
  const [save = '', keep = '', install = ''] =
    ways.find(({ id }) => id === 'helm')?.blocks.map(({ text }) => text) ?? []

  await run(save, `${KEY}\n`)
  const file = join(home, '.svc/daemon/relay-key')
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([`${KEY}\n`, 0o600])

  await run(keep)
  const secret = JSON.parse(await run('kubectl get secret svcd-relay --output json')) as { data: { token: string } }
  expect(Buffer.from(secret.data.token, 'base64').toString()).toBe(`${KEY}\n`)

  expect(await run(install)).toContain('STATUS: deployed')
  const { items } = JSON.parse(await run('kubectl get statefulsets --output json')) as { items: ChartObject[] }
  expect(items).toHaveLength(1)
  const text = JSON.stringify(items[0])
  expect(text).toContain(`registry.example/svc/svcd`)
  expect(text).toContain(DIGEST)
  expect(text).toContain(relayUrl)
  expect(text).toContain('"secretName":"svcd-relay"')
  expect(text).toContain('"key":"token"')
  expect(install).not.toContain(KEY)
})
