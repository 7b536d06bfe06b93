/** How pages look; `system` leaves the choice to the browser. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]
