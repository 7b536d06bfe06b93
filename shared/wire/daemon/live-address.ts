/**
 * The query parameter of a connection that nobody waits for: an open page reconnects by itself. Such a connection is
 * refused while the host sleeps; any other connection wakes the host.
 */
export const UNATTENDED = 'unattended'
