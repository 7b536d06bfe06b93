import { crashMatrix } from '../support/crash-matrix.ts'

// Every boundary: `npm run test:long -- operation-crash-matrix`.
crashMatrix({ stride: 3 })
