import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { ForeignFolder } from './database/own-folder.ts'
import { UnusableBackup } from './backup/archive-format.ts'
import { NamelessUser } from './database/named-user.ts'
import { DataInUse } from './database/postmaster.ts'
import { BackupInProgress } from './installation/lock-data.ts'
import { StartRefused, WrongUse } from './installation/refusal.ts'
import { UnreadableFile } from './installation/small-file.ts'

type Failure = NodeJS.ErrnoException & { port?: number }

/**
 * Ends a command of the embedded platform: one line with the reason, and the exit code of its kind. `dataDir` is the
 * data folder of a command that writes there.
 */
export function endWith(error: unknown, dataDir?: string): never {
  const { line, exitCode } = explain(error as Failure, dataDir)
  console.error(line)
  process.exit(exitCode)
}

/** A problem that a person has to fix first; its message says how. */
const configurationErrors = [ConfigurationError, StartRefused, ForeignFolder, NamelessUser, UnreadableFile]

/** The line and the exit code for a failure. */
export function explain(error: Failure, dataDir?: string): { line: string; exitCode: number } {
  const { code, message, port, path, syscall } = error
  if (error instanceof WrongUse) return { line: message, exitCode: exitCodes.usage }
  if (error instanceof UnusableBackup) return { line: message, exitCode: exitCodes.failure }
  if (error instanceof BackupInProgress) return { line: message, exitCode: exitCodes.tryAgain }
  if (error instanceof DataInUse) return { line: `${message}.`, exitCode: exitCodes.tryAgain }
  if (configurationErrors.some((kind) => error instanceof kind))
    return { line: message, exitCode: exitCodes.configuration }
  if (code === 'EADDRINUSE') {
    const line = `Port ${port} is taken. Stop what listens there, or choose another: npm start -- --port N`
    return { line, exitCode: exitCodes.tryAgain }
  }
  if (code === 'EACCES' && syscall === 'listen') {
    const line = `Port ${port} needs more rights than this user has. Choose another: npm start -- --port N`
    return { line, exitCode: exitCodes.configuration }
  }
  if (code === 'EACCES' || code === 'EROFS') {
    const ofData = dataDir !== undefined && path !== undefined && onOneWay(path, dataDir)
    const line = ofData ? `${message}. Choose a folder that can be written with --data DIR.` : `${message}.`
    return { line, exitCode: exitCodes.configuration }
  }
  return { line: `This failed: ${message}`, exitCode: exitCodes.failure }
}

/** True when one path is the other, or lies in it: a data folder also fails at a folder that it would be made in. */
const onOneWay = (one: string, other: string) =>
  one === other || one.startsWith(withSlash(other)) || other.startsWith(withSlash(one))

const withSlash = (folder: string) => (folder.endsWith('/') ? folder : `${folder}/`)
