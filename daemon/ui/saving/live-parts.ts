/**
 * What is loaded once somebody writes, in one part: a browser that loses its host afterwards has all of it. A part that
 * failed to load stays missing until the page reloads.
 */
export { liveLink } from '../live/live-link.ts'
export { toggleTask } from '../live/toggle-task.ts'
export { sendKept } from './send-kept.ts'
