import { ConfigurationError } from '@svc/shared/kit/configuration-error.ts'
import { exitCodes } from '@svc/shared/wire/exit-codes.ts'
import { ForeignFolder } from './database/own-folder.ts'
import { UnusableBackup } from './backup/archive-format.ts'
import { NamelessUser } from './database/named-user.ts'
import { DataInUse } from './database/postmaster.ts'
import { BackupInProgress } from './installation/lock-data.ts'
import { StartRefused, WrongUse } from './installation/refusal.ts'
import { UnreadableFile } from './installation/small-file.ts'

/** Ends a command of the embedded platform: one line with the reason, and the exit code of its kind. */
export function endWith(error: unknown): never {
  const { line, exitCode } = explain(error as NodeJS.ErrnoException & { port?: number })
  console.error(line)
  process.exit(exitCode)
}

/** A problem that a person has to fix first; its message says how. */
const configurationErrors = [ConfigurationError, StartRefused, ForeignFolder, NamelessUser, UnreadableFile]

function explain(error: NodeJS.ErrnoException & { port?: number }) {
  const { code, message, port } = error
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
  if (code === 'EACCES' || code === 'EROFS') {
    const line = `${message}. Choose a folder that can be written: npm start -- --data DIR`
    return { line, exitCode: exitCodes.configuration }
  }
  return { line: `This failed: ${message}`, exitCode: exitCodes.failure }
}
