import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { runsAsRoot } from '../installation/places.ts'
import type { Owner } from './own-folder.ts'
import { listProcesses } from './process-table.ts'

/** A program needs a user with a name, and this process has none: exit 78. */
export class NamelessUser extends Error {
  constructor(options?: ErrorOptions) {
    super(
      `The user ${process.getuid?.()} that runs this has no name in /etc/passwd, and PostgreSQL makes no database for such ` +
        'a user. Run as a user that has one, add a line for this one, or set DATABASE_URL to a PostgreSQL server of yours.',
      options,
    )
    this.name = 'NamelessUser'
  }
}

/** How to start a program as a user with a name. */
export type NamedStart = { program: string; args: string[]; owner: Owner; inNamespace: boolean }

/**
 * For root: a system user that cannot log in and runs no process. Otherwise our own user; a user without a name, as in
 * many containers, gets one in a user namespace, where the system allows that. Written files belong to us in any case.
 */
export async function asNamedUser(program: string, args: string[]): Promise<NamedStart> {
  if (runsAsRoot()) return { program, args, owner: await idleUser(), inNamespace: false }
  if (hasName()) return { program, args, owner: undefined, inNamespace: false }

  const borrowed = (await namedUsers()).find(({ uid }) => uid !== 0)
  if (borrowed === undefined) throw new NamelessUser()
  const namespace = ['--user', `--map-user=${borrowed.uid}`, '--']
  return { program: 'unshare', args: [...namespace, program, ...args], owner: undefined, inNamespace: true }
}

function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

async function idleUser(): Promise<Owner> {
  const busy = new Set((await listProcesses())?.flatMap(({ uids }) => uids))
  const idle = (await namedUsers()).filter(({ uid, isClosed }) => isClosed && uid !== 0 && !busy.has(uid))
  if (idle[0] === undefined) throw new Error('There is no user in /etc/passwd that could make the database')
  return { uid: idle[0].uid, gid: idle[0].gid }
}

async function namedUsers() {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const named = lines.filter(([name]) => name)
  return named.map(([, , uid, gid, , , shell = '']) => ({
    uid: Number(uid),
    gid: Number(gid),
    isClosed: /\/(nologin|false|sync)$/.test(shell),
  }))
}
