/** The platform must not start in this state, and a person has to decide: exit 78, one line. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartRefused'
  }
}

/** Wrong use of a command: exit 64. */
export class WrongUse extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WrongUse'
  }
}
