/** The home folder of the user; undefined for a user without a name who has no HOME either, as in a container. */
export function userHome(): string | undefined {
  try {
    return process.getBuiltinModule('node:os').homedir() || undefined
  } catch {
    return undefined
  }
}
