/** Money reserved for an organization until it is captured or released. Amounts are in minor units. */
export type BillingReservationsTable = {
  reservation_id: string
  org_id: string
  amount_minor: number
  currency: string
  state: 'held' | 'captured' | 'released'
  created_at: Date
  settled_at: Date | null
}

/** Payment history: an organization with any cannot be deleted. */
export type BillingPaymentsTable = {
  payment_id: string
  org_id: string
  reservation_id: string | null
  amount_minor: number
  currency: string
  paid_at: Date
}

export type BillingTables = {
  billing_reservations: BillingReservationsTable
  billing_payments: BillingPaymentsTable
}
