/**
 * The paths of a home that are backed up: all but those that can be rebuilt, belong to the process or are secret. Pure.
 */

const NOT_OF_DAEMON =
  /^(?:lock(?:[.-].*)?|status\.json|svcd(?:\.1)?\.log|relay-.*|probe-token.*|tmp|index|backups|restoring|replaced|restored?\.json|\..*)$/
const UNFINISHED_BY_GIT = /(?:\.lock|^tmp_[^/]*)$/

/**
 * True for a path, relative to the home and with slashes, that belongs in a backup. The caller has checked its parents.
 */
export function isBackedUp(path: string): boolean {
  const [root, second, third, fourth] = path.split('/', 4)
  if (root === 'vaults') return !(second?.startsWith('.probe-') || (third === '.svc' && fourth === 'tmp'))
  if (root !== 'daemon') return false
  if (second === undefined) return true
  if (second === 'history') return !UNFINISHED_BY_GIT.test(path.slice(path.lastIndexOf('/') + 1))
  return !NOT_OF_DAEMON.test(second)
}

/**
 * True for a path of a manifest that can be restored: inside the home, and one that would be backed up. A name may have
 * a backslash, but the path must lead to no other folder where backslashes separate names.
 */
export function isRestorable(path: string): boolean {
  if (path.length > 4096 || path.includes('\0') || !path.isWellFormed()) return false
  if (path.split(/[/\\]/).some((name) => name === '' || name === '.' || name === '..')) return false
  const names = path.split('/')
  if (names.length < 2) return false
  return names.every((_, i) => isBackedUp(names.slice(0, i + 1).join('/')))
}
