import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HomeLayout } from '../home/home-layout.ts'

type Places = Pick<HomeLayout, 'daemon'>

/** File that says that the collected home is complete. */
export const INTENT = 'restore.json'

/** Where a restore collects the new home. */
export const restoringFolder = ({ daemon }: Places): string => join(daemon, 'restoring')

/** True when a restore has left something for the start to do: nearly never, so its code is loaded only then. */
export const isRestoreBegun = (layout: Places): boolean =>
  existsSync(join(layout.daemon, INTENT)) || existsSync(restoringFolder(layout))
