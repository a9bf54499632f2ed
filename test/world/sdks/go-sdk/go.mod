module world

go 1.25
