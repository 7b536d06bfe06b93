import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HomeLayout } from '../home/home-layout.ts'

type Places = Pick<HomeLayout, 'daemon'>

/** The file whose presence means that the collected home is complete. */
export const INTENT = 'restore.json'

/** Where a restore collects the new home. */
export const restoringFolder = ({ daemon }: Places): string => join(daemon, 'restoring')

/** True if a restore left work for the start. That is rare, so the code for it is loaded only in that case. */
export const isRestoreBegun = (layout: Places): boolean =>
  existsSync(join(layout.daemon, INTENT)) || existsSync(restoringFolder(layout))
