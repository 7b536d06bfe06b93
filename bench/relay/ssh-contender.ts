import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chmod, chown, copyFile, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { openEndpoint, type Contender } from './contender.ts'
import { findProgram, startProgram, untilListening } from './program.ts'

const NOBODY = 65534

/** `ssh -R` of OpenSSH to a server of our own; undefined where it is not installed. */
export async function startSsh(targetPort: number, targetPid: number): Promise<Contender | undefined> {
  const [sshd, ssh] = [findProgram('sshd'), findProgram('ssh')]
  if (sshd === undefined || ssh === undefined) return undefined
  const [sshPort, port] = [await freePort(), await freePort()]
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  // As root both sides run as an unprivileged user: sshd then needs no system account of its own.
  const asRoot = process.getuid?.() === 0
  const owner = asRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const user = asRoot ? 'nobody' : userInfo().username

  for (const name of ['host', 'user']) spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)])
  await copyFile(join(dir, 'user.pub'), join(dir, 'authorized'))
  const settings = {
    Port: sshPort,
    ListenAddress: '127.0.0.1',
    HostKey: join(dir, 'host'),
    AuthorizedKeysFile: join(dir, 'authorized'),
    StrictModes: 'no',
    UsePAM: 'yes',
    PidFile: 'none',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  await writeFile(join(dir, 'sshd_config'), lines.join(''))
  if (asRoot)
    for (const path of [dir, ...(await readdir(dir)).map((name) => join(dir, name))]) await chown(path, NOBODY, NOBODY)
  await chmod(dir, 0o755)

  const server = startProgram(sshd, ['-D', '-e', '-f', join(dir, 'sshd_config')], owner)
  await untilListening(sshPort)
  const trusting = ['-F', 'none', '-o', 'StrictHostKeyChecking=no', '-o', `UserKnownHostsFile=${dir}/known`]
  const forward = ['-R', `127.0.0.1:${port}:127.0.0.1:${targetPort}`]
  const where = ['-i', join(dir, 'user'), '-p', String(sshPort), `${user}@127.0.0.1`]
  const client = startProgram(ssh, ['-N', ...trusting, ...forward, ...where], owner)
  await untilListening(port)
  return { name: 'ssh -R', endpoint: openEndpoint(port), processes: { sshd: server, ssh: client, target: targetPid } }
}
