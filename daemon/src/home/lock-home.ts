import { lockHolder, takeLock, type FileLock } from '@svc/shared/kit/lock/lock-file.ts'
import type { HomeLayout } from './home-layout.ts'
import { notNow } from './start-failure.ts'

const NAME = 'lock'

/** Locks the home for this process, or fails with exit code 75 and names the process that has it. */
export function lockHome(layout: HomeLayout): FileLock {
  return takeLock({
    folder: layout.daemon,
    name: NAME,
    held: (pid) =>
      notNow(
        pid === undefined
          ? `SVC_HOME ${layout.home} is in use: a lock file in ${layout.daemon} cannot be read`
          : `SVC_HOME ${layout.home} is in use by another svcd (process ${pid})`,
      ),
  })
}

/** The live process that has locked the home; undefined when there is none, or when it runs in another container. */
export const homeHolder = (layout: HomeLayout): number | undefined => lockHolder(layout.daemon, NAME)
