import { readFile } from 'node:fs/promises'
import { credentialsIn, type RegistryCredentials } from './registry-credentials.ts'

/**
 * Reads the credentials for a registry's host from a Docker configuration file, the format of a pull secret. Reads the
 * file for each use, because mounted secrets change. Returns undefined when the file does not name the host; throws
 * when it is malformed.
 */
export async function readCredentials(file: string, host: string): Promise<RegistryCredentials | undefined> {
  return credentialsIn(JSON.parse(await readFile(file, 'utf8')), host)
}
