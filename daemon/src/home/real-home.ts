import { realpath } from 'node:fs/promises'

/** The real path of a home, which its daemon uses and reports; the path as given while there is no such folder. */
export const realHome = (home: string): Promise<string> => realpath(home).catch(() => home)
