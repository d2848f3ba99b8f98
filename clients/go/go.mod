module webviewguard.example/client

go 1.19
