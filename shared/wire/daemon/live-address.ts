/**
 * The query of a connection that nobody waits for: an open page connects again by itself. It is refused while the host
 * sleeps; any other connection wakes it.
 */
export const UNATTENDED = 'unattended'
