"""What is done later, behind everybody's back: jobs in the ledger, and the threads that work them off."""
