/** Refuses files that are dropped where nothing takes them: the browser would open them instead of the app. */
export function refuseStrayFiles(page: Window): void {
  page.addEventListener('dragover', (event) => {
    if (!isStray(event)) return
    event.preventDefault()
    event.dataTransfer!.dropEffect = 'none'
  })
  page.addEventListener('drop', (event) => {
    if (isStray(event)) event.preventDefault()
  })
}

const isStray = ({ defaultPrevented, dataTransfer, target }: DragEvent): boolean =>
  !defaultPrevented &&
  dataTransfer !== null &&
  dataTransfer.types.includes('Files') &&
  !(target instanceof HTMLInputElement && target.type === 'file')
