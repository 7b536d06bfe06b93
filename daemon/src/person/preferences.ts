import { join } from 'node:path'
import type { Log } from '@svc/shared/kit/log.ts'
import { ChoosePreferences } from '@svc/shared/wire/person.api.ts'
import type { Theme } from '@svc/shared/wire/themes.ts'
import { writeJsonFile } from '../files/durable-file.ts'
import { readOwnFile } from '../files/regular-file.ts'

const NAME = 'preferences.json'

export type Preferences = { findTheme(): Promise<Theme>; updateTheme(theme: Theme): Promise<void> }

/** What the person at this machine chose for the pages, in a file of the daemon. */
export function storedPreferences({ folder, log }: { folder: string; log: Log }): Preferences {
  return {
    /** A file that cannot be read counts as none: a theme is not worth a failed page. */
    findTheme: async () => {
      try {
        const text = await readOwnFile(join(folder, NAME))
        return text === undefined ? 'system' : ChoosePreferences.parse(JSON.parse(text)).theme
      } catch (err) {
        log.warn({ err }, 'the preferences could not be read')
        return 'system'
      }
    },
    updateTheme: (theme) => writeJsonFile(folder, NAME, { theme }),
  }
}
