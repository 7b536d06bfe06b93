import { readFile } from 'node:fs/promises'
import { credentialsIn, type RegistryCredentials } from './registry-credentials.ts'

/**
 * Reads the credentials of a registry's host from a Docker configuration file, the format of a pull secret. The file is
 * read for each use, because mounted secrets change. Answers undefined when the file does not name the host and throws
 * when it is not such a file.
 */
export async function readCredentials(file: string, host: string): Promise<RegistryCredentials | undefined> {
  return credentialsIn(JSON.parse(await readFile(file, 'utf8')), host)
}
