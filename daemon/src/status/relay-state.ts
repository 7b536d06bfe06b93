/** The state of the relay connection: the four booleans of the status, and the generation of the key in use. */
export type RelayState = {
  configured: boolean
  started: boolean
  controlConnected: boolean
  reconnectScheduled: boolean
}

/** The state of a daemon without relay. */
export const noRelay: RelayState = {
  configured: false,
  started: false,
  controlConnected: false,
  reconnectScheduled: false,
}
