/** The configuration of a process is invalid; the process prints the problems and exits with 78. */
export class ConfigurationError extends Error {
  readonly problems: { path: string; message: string }[]

  constructor(problems: { path: string; message: string }[]) {
    super(problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('\n'))
    this.name = 'ConfigurationError'
    this.problems = problems
  }
}
