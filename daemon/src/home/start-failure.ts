import { exitCodes } from '@svc/shared/wire/exit-codes.ts'

/** The daemon cannot start. `main` prints the message as one line and exits with the code. */
export class StartFailure extends Error {
  readonly exitCode: number

  constructor(exitCode: number, message: string) {
    super(message)
    this.name = 'StartFailure'
    this.exitCode = exitCode
  }
}

/** A person must fix something before the next start: exit 78. */
export const misconfigured = (message: string) => new StartFailure(exitCodes.configuration, message)

/** A problem that may pass by itself: exit 75. */
export const notNow = (message: string) => new StartFailure(exitCodes.tryAgain, message)
