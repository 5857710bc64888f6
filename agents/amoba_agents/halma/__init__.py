"""What halma's players have in common: where men can go, the best own moves, searches over all players' moves."""
