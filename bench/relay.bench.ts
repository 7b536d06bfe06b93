// The relay with all that it checks, against no relay, a bare Node proxy, and nginx and `ssh -R` where they are installed.
// Rounds alternate; read the ratios. BENCH_ROUNDS and BENCH_MS shorten a run.
import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { measureDownload, measureRequests, measureUnderBulk, measureUpload, type Endpoint } from './relay/load.ts'
import { printTable, spread } from './rounds.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const MS = Number(process.env.BENCH_MS ?? 1500)
const MEGABYTES = 128
const CONCURRENCIES = [1, 16, 64]
const children: ChildProcess[] = []
process.on('exit', () => children.forEach((child) => child.kill()))
process.on('uncaughtException', (error) => {
  console.error(error)
  process.exit(1)
})

type Organization = { orgId: string; apiKey: string; host: string; origin: string }

function startPart<T>(name: string, env: Record<string, string> = {}): Promise<{ child: ChildProcess; told: T }> {
  const child = fork(new URL(`relay/${name}.ts`, import.meta.url), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc'],
  })
  children.push(child)
  return new Promise((resolve) => {
    createInterface({ input: child.stdout! }).once('line', (line) => resolve({ child, told: JSON.parse(line) as T }))
  })
}

async function ask<T>(child: ChildProcess, question: string): Promise<T> {
  const answered = once(child, 'message')
  child.send(question)
  return ((await answered) as [T])[0]
}

const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function untilOpen(port: number): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    const { connect } = await import('node:net')
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`nothing listens on ${port}`)
}

async function startNginx(target: number): Promise<number> {
  const port = await freePort()
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  await writeFile(
    join(dir, 'nginx.conf'),
    `daemon off; pid ${dir}/pid; error_log ${dir}/error.log; worker_processes 1;
     events { worker_connections 1024; }
     http { access_log off; client_max_body_size 0; proxy_request_buffering off; proxy_buffering off;
       client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
       upstream t { server 127.0.0.1:${target}; keepalive 128; keepalive_requests 10000000; }
       server { keepalive_requests 10000000; listen 127.0.0.1:${port}; location / { proxy_pass http://t; proxy_http_version 1.1; proxy_set_header Connection ""; } } }`,
  )
  children.push(spawn('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf')], { stdio: 'ignore' }))
  await untilOpen(port)
  return port
}

/** OpenSSH on both sides, as a user without rights when we are root: it then needs no system account of its own. */
async function startSsh(target: number): Promise<number> {
  const [sshPort, port] = [await freePort(), await freePort()]
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  const root = process.getuid?.() === 0
  const who = root ? { uid: 65534, gid: 65534 } : {}
  const user = root ? 'nobody' : spawnSync('id', ['-un']).stdout.toString().trim()
  for (const key of ['host', 'user']) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, key)])
  spawnSync('cp', [join(dir, 'user.pub'), join(dir, 'authorized')])
  await writeFile(
    join(dir, 'sshd_config'),
    `Port ${sshPort}\nListenAddress 127.0.0.1\nHostKey ${dir}/host\nAuthorizedKeysFile ${dir}/authorized\nStrictModes no\nUsePAM yes\nPidFile none\n`,
  )
  if (root)
    for (const file of ['', 'host', 'user', 'authorized', 'sshd_config']) await chown(join(dir, file), 65534, 65534)
  await chmod(dir, 0o755)
  const sshd = spawnSync('sh', ['-c', 'command -v sshd']).stdout.toString().trim()
  children.push(spawn(sshd, ['-D', '-e', '-f', join(dir, 'sshd_config')], { stdio: 'ignore', ...who }))
  await untilOpen(sshPort)
  const options = [
    '-N',
    '-F',
    'none',
    '-i',
    join(dir, 'user'),
    '-p',
    String(sshPort),
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    `UserKnownHostsFile=${dir}/known`,
  ]
  children.push(
    spawn('ssh', [...options, '-R', `127.0.0.1:${port}:127.0.0.1:${target}`, `${user}@127.0.0.1`], {
      stdio: 'ignore',
      ...who,
    }),
  )
  await untilOpen(port)
  return port
}

const { told: target, child: targetChild } = await startPart<{ port: number }>('target')
const { told: proxy } = await startPart<{ port: number }>('bare-proxy', { TARGET: String(target.port) })
const { told: gateway, child: gatewayChild } = await startPart<{ port: number; org: Organization; cookie: string }>(
  'gateway',
)
targetChild.send({ url: `http://127.0.0.1:${gateway.port}/t/${gateway.org.orgId}`, key: gateway.org.apiKey })
while (!(await ask<boolean>(gatewayChild, 'connected'))) await new Promise((resolve) => setTimeout(resolve, 50))

const plain = (port: number): Endpoint => ({ port, headers: { host: 'bench' } })
const contenders: Record<string, Endpoint> = {
  direct: plain(target.port),
  'bare Node proxy': plain(proxy.port),
  ...(has('nginx') ? { nginx: plain(await startNginx(target.port)) } : {}),
  ...(has('sshd') ? { 'ssh -R': plain(await startSsh(target.port)) } : {}),
  relay: {
    port: gateway.port,
    headers: { host: gateway.org.host, cookie: gateway.cookie, origin: gateway.org.origin },
  },
}

const results: Record<string, Record<string, number[]>> = {}
const note = (name: string, what: string, value: number) => ((results[name] ??= {})[what] ??= []).push(value)

for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, endpoint] of Object.entries(contenders)) {
    const measured: [string, number][] = []
    for (const concurrency of CONCURRENCIES) {
      const { perSecond, p50, p99 } = await measureRequests(endpoint, { concurrency, ms: MS })
      measured.push(
        [`req/s at ${concurrency}`, perSecond],
        [`p50 at ${concurrency}`, p50],
        [`p99 at ${concurrency}`, p99],
      )
    }
    measured.push(['MB/s down', await measureDownload(endpoint, MEGABYTES)])
    measured.push(['MB/s up', await measureUpload(endpoint, MEGABYTES)])
    measured.push(['p99 under bulk', await measureUnderBulk(endpoint, { ms: MS, bulks: 1 })])
    process.stderr.write(`round ${round} of ${ROUNDS}: ${name}\n`)
    if (round > 0) for (const [what, value] of measured) note(name, what, value)
  }
}

const median = (name: string, what: string) => spread(results[name]?.[what] ?? []).median
const names = Object.keys(contenders)
const whats = Object.keys(results.relay ?? {})
printTable(
  ['measure', ...names],
  whats.map((what) => [what, ...names.map((name) => median(name, what).toFixed(what.startsWith('p') ? 2 : 0))]),
)
console.log()
const ratio = (what: string, other: string) => (median('relay', what) / median(other, what)).toFixed(2)
const targets: (string | number)[][] = [
  ...CONCURRENCIES.map((c) => [
    `requests at ${c}, of the bare proxy`,
    ratio(`req/s at ${c}`, 'bare Node proxy'),
    '≥ 2',
  ]),
  ['added p99 at 1, ms', (median('relay', 'p99 at 1') - median('direct', 'p99 at 1')).toFixed(2), '≤ 2'],
  [
    'small p99 under bulk, of idle',
    (median('relay', 'p99 under bulk') / median('relay', 'p99 at 1')).toFixed(2),
    '≤ 5',
  ],
]
if (contenders['ssh -R'] !== undefined)
  targets.push(
    ...CONCURRENCIES.map((c) => [`requests at ${c}, of ssh -R`, ratio(`req/s at ${c}`, 'ssh -R'), '≥ 1']),
    ['bulk down, of ssh -R', ratio('MB/s down', 'ssh -R'), '≥ 1'],
    ['bulk up, of ssh -R', ratio('MB/s up', 'ssh -R'), '≥ 1'],
  )
printTable(['ratio of medians', 'measured', 'target'], targets)

const stopped = once(gatewayChild, 'exit')
gatewayChild.send('stop')
await stopped
process.exit(0)
